/* SPDX-License-Identifier: MIT */

/*
 * Matching by hashes of the texts of all keys that tell cells apart, sorted and searched; equal
 * hashes are confirmed by the texts. O(n log n), and no cell is compared with every other.
 */

#include "compare-match.h"

#include <errno.h>
#include <string.h>

#include "compare-key.h"

struct hashed {
	uint64_t hash;
	size_t index;
};

bool sc_match_is_ignored(const struct sc_compare_rules *rules, const char *key)
{
	for (size_t i = 0; i < rules->ignored_count; i++) {
		if (strcmp(rules->ignored[i], key) == 0)
			return true;
	}
	return false;
}

static bool tells_apart(const struct sc_match_terms *terms, size_t key)
{
	const char *name = sc_key_identity_name(key);

	if (terms->ignores_target && strcmp(name, "target") == 0)
		return false;
	return !sc_match_is_ignored(terms->rules, name);
}

/* FNV-1a, 64 bits; with the NUL, so that "ab", "c" is not "a", "bc". */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	while (*text++);
	return hash;
}

static uint64_t hash_cell(const struct sc_digest_cell *cell, const struct sc_match_terms *terms)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < sc_key_identity_count(); i++) {
		if (tells_apart(terms, i))
			hash = hash_text(hash, sc_key_identity_text(cell, i).text);
	}
	return hash;
}

static bool is_equal(const struct sc_digest_cell *a, const struct sc_digest_cell *b, size_t key)
{
	return strcmp(sc_key_identity_text(a, key).text, sc_key_identity_text(b, key).text) == 0;
}

static size_t count_differences(const struct sc_digest_cell *a, const struct sc_digest_cell *b,
				const struct sc_match_terms *terms)
{
	size_t count = 0;

	for (size_t i = 0; i < sc_key_identity_count(); i++)
		count += tells_apart(terms, i) && !is_equal(a, b, i);
	return count;
}

static int compare_hashed(const void *left, const void *right)
{
	const struct hashed *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static struct hashed *hash_all(const struct sc_digest *digest, const struct sc_match_terms *terms)
{
	struct hashed *all = calloc(digest->cell_count + 1, sizeof(*all));

	for (size_t i = 0; all && i < digest->cell_count; i++)
		all[i] = (struct hashed){hash_cell(&digest->cells[i], terms), i};
	if (all)
		qsort(all, digest->cell_count, sizeof(*all), compare_hashed);
	return all;
}

static int check_unique(const struct sc_digest *digest, const struct hashed *all,
			const struct sc_match_terms *terms, struct sc_error *error)
{
	for (size_t i = 1; i < digest->cell_count; i++) {
		const struct sc_digest_cell *a = &digest->cells[all[i - 1].index];
		const struct sc_digest_cell *b = &digest->cells[all[i].index];

		if (all[i - 1].hash != all[i].hash || count_differences(a, b, terms) > 0)
			continue;
		(void)sc_fail(error, SC_E_USAGE,
			      "report '%s': cells '%s' and '%s' cannot be told apart", digest->path,
			      a->id, b->id);
		return terms->rules->ignored_count > 0
			       ? sc_hint(error, "ignore fewer keys")
			       : sc_hint(error, "the report holds a cell twice");
	}
	return 0;
}

static size_t find(const struct hashed *all, const struct sc_digest *digest,
		   const struct sc_digest_cell *cell, const struct sc_match_terms *terms)
{
	uint64_t hash = hash_cell(cell, terms);
	size_t low = 0, high = digest->cell_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < digest->cell_count && all[low].hash == hash; low++) {
		if (count_differences(cell, &digest->cells[all[low].index], terms) == 0)
			return all[low].index;
	}
	return SC_MATCH_NONE;
}

int sc_match(const struct sc_digest *base, const struct sc_digest *other,
	     const struct sc_match_terms *terms, size_t **ret_matches, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) struct hashed *of_base = hash_all(base, terms);
	SC_CLEANUP(sc_freep) struct hashed *of_other = hash_all(other, terms);
	SC_CLEANUP(sc_freep) size_t *matches = calloc(base->cell_count + 1, sizeof(*matches));
	int r;

	if (!of_base || !of_other || !matches)
		return sc_fail(error, -ENOMEM, "matching cells");
	r = check_unique(base, of_base, terms, error);
	if (r == 0)
		r = check_unique(other, of_other, terms, error);
	if (r < 0)
		return r;
	for (size_t i = 0; i < base->cell_count; i++)
		matches[i] = find(of_other, other, &base->cells[i], terms);
	*ret_matches = SC_TAKE(matches);
	return 0;
}

size_t sc_match_nearest_key(const struct sc_digest_cell *cell, const struct sc_digest *other,
			    const struct sc_match_terms *terms, const bool *taken,
			    size_t *ret_nearest)
{
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; i < other->cell_count; i++) {
		size_t count;

		if (taken[i])
			continue;
		count = count_differences(cell, &other->cells[i], terms);
		if (count < fewest) {
			fewest = count;
			*ret_nearest = i;
		}
	}
	for (size_t i = 0; fewest != SIZE_MAX && i < sc_key_identity_count(); i++) {
		if (tells_apart(terms, i) && !is_equal(cell, &other->cells[*ret_nearest], i))
			return i;
	}
	return SC_MATCH_NONE;
}
