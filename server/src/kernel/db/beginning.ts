// Finding texts by their beginning, in any case, over an index on lower(column) text_pattern_ops.

/** A condition: the column begins with the parameter, whatever the case of either. Bytes are compared, so that the index serves it. */
export function beginsWith(column: string, parameter: string): string {
  const [text, beginning] = [`lower(${column})`, `lower(${parameter}::text)`]
  return `(${column} is not null and ${text} ~>=~ ${beginning} and ${text} ~<~ (${beginning} || chr(1114111)))`
}

/** An order for `order by`: the texts last in the order of that index come first, so that the index serves it with a limit. */
export function lastReferenceFirst(column: string): string {
  return `lower(${column}) using ~>~`
}
