/* SPDX-License-Identifier: MIT */

/*
 * A program that knows nothing of us, in several lives.
 *
 *	program commits DATABASE COUNT JOURNAL SYNCHRONOUS
 *	program threads DIRECTORY      eight of them, four databases
 *	program fork DIRECTORY         children while the parent's database is open
 *	program exec DIRECTORY         another program in its place, halfway
 *	program kill DIRECTORY         ends by SIGKILL, with its database open
 *	program stay DATABASE          says its number, and waits
 *	program many DIRECTORY         two hundred files open, fifty of them databases
 *	program echo                   copies standard input, says its descriptors and signals
 */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(what)                                                                              \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			(void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);           \
			_exit(9);                                                                  \
		}                                                                                  \
	} while (0)

static sqlite3 *open_database(const char *path, const char *journal, const char *synchronous)
{
	char text[200];
	sqlite3 *db;

	REQUIRE(sqlite3_open(path, &db) == SQLITE_OK);
	REQUIRE(sqlite3_busy_timeout(db, 60000) == SQLITE_OK);
	(void)snprintf(text, sizeof(text),
		       "PRAGMA journal_mode=%s; PRAGMA synchronous=%s;"
		       "CREATE TABLE IF NOT EXISTS t(a, b);",
		       journal, synchronous);
	while (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_BUSY)
		(void)usleep(1000); /* changing the journal mode does not wait */
	return db;
}

static void insert(sqlite3 *db, int count)
{
	for (int i = 0; i < count; i++) {
		int rc = sqlite3_exec(db, "INSERT INTO t VALUES(1, randomblob(300))", NULL, NULL,
				      NULL);

		REQUIRE(rc == SQLITE_OK);
	}
}

static int commits(char **arguments)
{
	sqlite3 *db = open_database(arguments[0], arguments[2], arguments[3]);

	insert(db, atoi(arguments[1]));
	REQUIRE(sqlite3_close(db) == SQLITE_OK);
	return 0;
}

/* --- threads */

static const char *directory;

static void in_directory(char path[500], const char *name, int number)
{
	(void)snprintf(path, 500, "%s/%s%d.db", directory, name, number);
}

static void *work(void *argument)
{
	int number = (int)(size_t)argument;
	char path[500];
	sqlite3 *db;

	in_directory(path, "threads", number % 4);
	db = open_database(path, number % 2 ? "WAL" : "DELETE", "FULL");
	insert(db, 12);
	REQUIRE(sqlite3_close(db) == SQLITE_OK);
	return NULL;
}

static int threads(void)
{
	pthread_t ids[8];

	for (size_t i = 0; i < 8; i++)
		REQUIRE(pthread_create(&ids[i], NULL, work, (void *)i) == 0);
	for (size_t i = 0; i < 8; i++)
		REQUIRE(pthread_join(ids[i], NULL) == 0);
	return 0;
}

/* --- processes */

static void child(int number)
{
	char path[500];
	sqlite3 *db;

	in_directory(path, "fork", number % 2);
	db = open_database(path, "WAL", "FULL");
	insert(db, 5 + number);
	REQUIRE(sqlite3_close(db) == SQLITE_OK);
	_exit(0);
}

static int forks(void)
{
	char path[500];
	sqlite3 *db;
	int status;

	in_directory(path, "fork", 0);
	db = open_database(path, "WAL", "FULL");
	insert(db, 3);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (pid == 0)
			child(i);
	}
	insert(db, 3);
	for (int i = 0; i < 3; i++) {
		REQUIRE(wait(&status) > 0);
		REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	REQUIRE(sqlite3_close(db) == SQLITE_OK);
	return 0;
}

static int become_another(const char *self)
{
	char path[500], other[500];

	in_directory(path, "exec", 0);
	in_directory(other, "exec", 1);
	insert(open_database(path, "WAL", "FULL"), 4); /* open until exec closes it */
	(void)execl(self, self, "commits", other, "6", "DELETE", "FULL", NULL);
	return 9;
}

static int die(void)
{
	char path[500];

	in_directory(path, "kill", 0);
	insert(open_database(path, "WAL", "FULL"), 7);
	return raise(SIGKILL);
}

static int stay(void)
{
	sqlite3 *db = open_database(directory, "WAL", "FULL");

	(void)printf("%d\n", (int)getpid());
	(void)fflush(stdout);
	(void)sleep(60);
	return sqlite3_close(db);
}

static int many(void)
{
	char path[500], text[8] = "";
	int fds[200];

	for (int i = 0; i < 200; i++) {
		in_directory(path, "plain", i);
		fds[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		REQUIRE(fds[i] >= 0 && write(fds[i], "content", 7) == 7);
	}
	for (int i = 0; i < 50; i++) {
		in_directory(path, "many", i);
		insert(open_database(path, "DELETE", "OFF"), 1);
	}
	for (int i = 0; i < 200; i++) {
		REQUIRE(pread(fds[i], text, 7, 0) == 7 && strcmp(text, "content") == 0);
		(void)printf("%d ", fds[i]);
		REQUIRE(close(fds[i]) == 0);
	}
	return 0;
}

static int echo(void)
{
	sigset_t mask;
	int c;

	while ((c = getchar()) != EOF)
		(void)putchar(c);
	for (int fd = 0; fd < 64; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			(void)printf("fd %d\n", fd);
	}
	(void)sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int number = 1; number < 32; number++) {
		struct sigaction action;

		(void)sigaction(number, NULL, &action);
		(void)printf("signal %d: %s%s\n", number,
			     action.sa_handler == SIG_IGN   ? "ignored"
			     : action.sa_handler == SIG_DFL ? "default"
							    : "handled",
			     sigismember(&mask, number) == 1 ? ", blocked" : "");
	}
	(void)printf("group %d, session %d\n", (int)getpgrp(), (int)getsid(0));
	return 5;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	directory = argc > 2 ? argv[2] : "";
	if (strcmp(mode, "commits") == 0 && argc == 6)
		return commits(argv + 2);
	if (strcmp(mode, "threads") == 0)
		return threads();
	if (strcmp(mode, "fork") == 0)
		return forks();
	if (strcmp(mode, "exec") == 0)
		return become_another(argv[0]);
	if (strcmp(mode, "kill") == 0)
		return die();
	if (strcmp(mode, "stay") == 0)
		return stay();
	if (strcmp(mode, "many") == 0)
		return many();
	return strcmp(mode, "echo") == 0 ? echo() : 9;
}
