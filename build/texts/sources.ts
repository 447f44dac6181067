import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { contract, web } from '../folders.ts'
import { childOf, listOf, parsed, stringOf } from './syntax.ts'

const root = path.dirname(web)

/** Where the console and the public pages begin. */
const entries = ['main.tsx', 'identity/main.tsx'].map((file) => path.join(web, file))

/** The page of all widgets, which no production build has, and tables of colours and fonts, which say nothing. */
const left = /\/web\/(dev\/|ui\/look\/(skins|tokens)\.)/

/** Whether a file may have texts. */
export const isSource = (file: string): boolean =>
  /(?<!\.test)\.tsx?$/.test(file) && !left.test(file.replaceAll(path.sep, '/'))

export type Source = { file: string; name: string; code: string }

/** Every source of the web app and of the contract that a page of the console, or a public one, is built of. */
export function sources(): Source[] {
  const found = new Map<string, Source>()
  const add = (file: string): void => {
    if (found.has(file) || !isSource(file) || !existsSync(file)) return
    const code = readFileSync(file, 'utf8')
    found.set(file, { file, name: nameOfFile(file), code })
    for (const name of importsIn(code, file)) add(resolved(name, file))
  }
  entries.forEach(add)
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The path that a catalogue shows. */
export const nameOfFile = (file: string): string => path.relative(root, file).replaceAll(path.sep, '/')

function resolved(name: string, from: string): string {
  if (name.startsWith('#web/')) return path.join(web, name.slice('#web/'.length))
  if (name.startsWith('#contract/')) return path.join(contract, name.slice('#contract/'.length))
  return name.startsWith('.') ? path.resolve(path.dirname(from), name) : ''
}

/** What a source imports: at its top, but for types, and on demand. */
function importsIn(code: string, file: string): string[] {
  const atTop = listOf(parsed(code, file), 'body')
    .filter((one) => one['importKind'] !== 'type' && one['exportKind'] !== 'type')
    .flatMap((one) => stringOf(childOf(one, 'source')) ?? [])
  const onDemand = Array.from(code.matchAll(/\bimport\(\s*'([^']+)'/g), ([, name = '']) => name)
  return [...atTop, ...onDemand]
}
