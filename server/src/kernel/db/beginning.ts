// Builds SQL for a prefix search that ignores case, over an index on lower(column) text_pattern_ops.

/**
 * Returns the SQL condition that the column begins with the parameter, in upper or lower case. The condition compares bytes, so
 * that PostgreSQL can use the index.
 */
export function beginsWith(column: string, parameter: string): string {
  const [text, beginning] = [`lower(${column})`, `lower(${parameter}::text)`]
  return `(${column} is not null and ${text} ~>=~ ${beginning} and ${text} ~<~ (${beginning} || chr(1114111)))`
}

/**
 * Returns the same condition for rows that another index has found. It computes the lower-case text only once. The condition is
 * not true for null.
 */
export function startsWith(column: string, parameter: string): string {
  return `starts_with(lower(${column}), lower(${parameter}::text))`
}

/**
 * Returns a descending order for `order by` that the same index provides. With this order, a statement with a limit reads
 * few rows.
 */
export function lastReferenceFirst(column: string): string {
  return `lower(${column}) using ~>~`
}
