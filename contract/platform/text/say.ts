import type { GetICUArgs } from '@schummar/icu-type-parser'
import { IntlMessageFormat } from 'intl-messageformat'

/** The messages of one surface by their keys: English, in the syntax of ICU MessageFormat. */
export type Catalogue = Readonly<Record<string, string>>
/** The same in another language: every key, and no other. */
export type Translation<C extends Catalogue> = Readonly<Record<keyof C, string>>
/** The same as data, for a browser, which carries no parser. */
export type Parsed<C extends Catalogue> = Readonly<Record<keyof C, Tree>>
type Tree = ReturnType<IntlMessageFormat['getAst']>
/** The same for the way: what takes no value is its text. */
export type Packed<C extends Catalogue> = Readonly<Record<keyof C, Tree | string>>

type ValuesOf<Message extends string> = GetICUArgs<
  Message,
  { ICUArgument: string; ICUNumberArgument: number }
>
/** A message in a language. The compiler knows the keys, and which values each message takes. */
export type Say<C extends Catalogue> = <K extends keyof C & string>(
  key: K,
  ...values: keyof ValuesOf<C[K]> extends never ? [] : [ValuesOf<C[K]>]
) => string

/** The same where only the running program knows which message it is: a message takes what it wants of the values. */
export type Tell<C extends Catalogue> = (
  key: keyof C & string,
  values?: Readonly<Record<string, string>>,
) => string

export function sayer<C extends Catalogue>(messages: Translation<C> | Parsed<C>, locale: string): Say<C> {
  const formatOf = formats<C>(messages, locale)
  return (key, ...[values]) => String(formatOf(key).format(values))
}

export function teller<C extends Catalogue>(messages: Translation<C> | Parsed<C>, locale: string): Tell<C> {
  const formatOf = formats<C>(messages, locale)
  return (key, values) => String(formatOf(key).format(values))
}

/** Each is read once. */
function formats<C extends Catalogue>(messages: Translation<C> | Parsed<C>, locale: string) {
  const known = new Map<string, IntlMessageFormat>()
  return (key: keyof C & string): IntlMessageFormat => {
    const format = known.get(key) ?? new IntlMessageFormat(messages[key], locale, {}, plain)
    known.set(key, format)
    return format
  }
}

/** Small enough to be written into a page. */
export function packed<C extends Catalogue>(messages: Parsed<C>): Packed<C> {
  const short = Object.entries<Tree>(messages).map(([key, tree]) => [key, textOf(tree) ?? tree])
  return Object.fromEntries(short) as Packed<C>
}

function textOf([only, ...others]: Tree): string | undefined {
  if (!only || others.length > 0 || !('value' in only)) return undefined
  const type: number = only.type
  return type === 0 ? only.value : undefined
}

export function unpacked<C extends Catalogue>(messages: Packed<C>): Parsed<C> {
  const long = Object.entries<Tree | string>(messages).map(([key, tree]) => [
    key,
    typeof tree === 'string' ? [{ type: 0, value: tree }] : tree,
  ])
  return Object.fromEntries(long) as Parsed<C>
}

/** Tags are text to the library: who writes HTML replaces them once everything is escaped. */
export const plain = { ignoreTag: true } as const
