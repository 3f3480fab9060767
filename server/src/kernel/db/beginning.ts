// Prefix search without case, over an index on lower(column) text_pattern_ops.

/** A condition: the column begins with the parameter, ignoring case. It compares bytes, so that the index can be used. */
export function beginsWith(column: string, parameter: string): string {
  const [text, beginning] = [`lower(${column})`, `lower(${parameter}::text)`]
  return `(${column} is not null and ${text} ~>=~ ${beginning} and ${text} ~<~ (${beginning} || chr(1114111)))`
}

/** A descending order for `order by` that the same index provides, so that a limit reads few rows. */
export function lastReferenceFirst(column: string): string {
  return `lower(${column}) using ~>~`
}
