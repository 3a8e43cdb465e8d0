// SPDX-License-Identifier: MIT
// Loads the extension into a driver's SQLite and works through it. Arguments: driver, extension, file.

const [driver, extension, path] = process.argv.slice(2);

function open(name) {
	if (driver === "better-sqlite3") {
		const Database = require(driver);

		return new Database(name);
	}
	const { DatabaseSync } = require(driver);
	const db = new DatabaseSync(name, { allowExtension: true });

	db.enableLoadExtension(true);
	return db;
}

const loader = open(":memory:");
const query = "SELECT database, role, operation, calls, bytes FROM syncost_io";

loader.loadExtension(extension);
for (const mode of ["wal", "delete"]) {
	const db = open(`${path}-${mode}.db`);

	db.exec(`PRAGMA journal_mode=${mode}; CREATE TABLE t(a)`);
	for (let i = 0; i < 20; i++)
		db.exec(`INSERT INTO t VALUES(hex(randomblob(${100 * i})))`);
	db.close();
}
for (const row of loader.prepare(query).all())
	console.log(Object.values(row).join("|"));
