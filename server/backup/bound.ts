import pg from 'pg'

const literal = String.raw`(?:'(?:[^'\\\u0000-\u001f]|'')*'|-?\d{1,30}(?:\.\d{1,30})?|MINVALUE|MAXVALUE|NULL|true|false)`
const list = String.raw`\((?:${literal}, )*${literal}\)`
const bound = new RegExp(
  String.raw`^(?:DEFAULT|FOR VALUES (?:IN ${list}|FROM ${list} TO ${list}|WITH \(modulus \d{1,5}, remainder \d{1,5}\)))$`,
)

/**
 * Which part of its table a partition is, written anew from the words and literals that PostgreSQL itself would have written; undefined
 * for everything else, which could be a statement.
 */
export function boundOf(text: string): string | undefined {
  if (text.length > 1_000 || !bound.test(text)) return undefined
  return text.replaceAll(/'(?:[^']|'')*'/g, (quoted) =>
    pg.escapeLiteral(quoted.slice(1, -1).replaceAll("''", "'")),
  )
}
