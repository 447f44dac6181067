import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseAst, type Plugin } from 'vite'
import { contract, web } from './folders.ts'

/** What the server checks and documents. A browser calls an endpoint by its method and path. */
const serversOwn = new Set(['reply', 'params', 'query', 'body', 'summary', 'access'])

type Node = { type: string; start: number; end: number }
type Property = Node & { key?: Node & { name?: string } }
type Call = Node & { callee: Node & { name?: string }; arguments: (Node & { properties?: Property[] })[] }
type Declared = Node & { id: Node & { name?: string }; init?: Node & { expression?: Node } }
type Statement = Node & { declaration?: Statement; declarations?: Declared[] }

type Edit = { start: number; end: number; text: string }

/** Of every file of the contract the names that are read of an endpoint, like `createUser.body`. */
const readsIn = (code: string) =>
  [...code.matchAll(/\b(\w+)\.(reply|params|query|body|summary|access)\b/g)].map(([read]) => read)

/**
 * An endpoint without what nothing in the browser reads of it; and every schema marked as something that may be left out when
 * nobody uses it, which a call as such may not.
 */
export function lightened(code: string, kept: ReadonlySet<string>): string {
  const edits: Edit[] = []
  for (const statement of parseAst(code, { lang: 'ts' }).body as unknown as Statement[])
    for (const { id, init } of (statement.declaration ?? statement).declarations ?? []) {
      if (!init || (init.expression ?? init).type !== 'CallExpression') continue
      const call = init as Call
      const [definition] = call.callee?.name === 'endpoint' ? call.arguments : []
      if (!definition) {
        edits.push({ start: init.start, end: init.start, text: '/* @__PURE__ */ (() => (' })
        edits.push({ start: init.end, end: init.end, text: '))()' })
        continue
      }
      // `endpoint` only checks types.
      edits.push({ start: call.start, end: definition.start, text: '(' })
      for (const { start, end, key } of definition.properties ?? []) {
        const name = key?.name ?? ''
        if (!serversOwn.has(name) || kept.has(`${id.name}.${name}`)) continue
        edits.push({ start, end: end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0), text: '' })
      }
    }
  let light = code
  for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start || b.end - a.end))
    light = light.slice(0, start) + text + light.slice(end)
  return light
}

async function sourcesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const sources = names.filter((name) => /(?<!\.test)\.tsx?$/.test(name))
  return Promise.all(sources.map((name) => readFile(path.join(folder, name), 'utf8')))
}

/** Leaves out of the web app what of the contract is the server's business. */
export function lightContract(): Plugin {
  let kept = new Set<string>()
  return {
    name: 'light-contract',
    apply: 'build',
    enforce: 'pre',
    async buildStart() {
      const files = await sourcesBelow(contract)
      kept = new Set((await sourcesBelow(web)).flatMap(readsIn))
      // What stays may read of further endpoints.
      for (let size = -1; size !== kept.size;) {
        size = kept.size
        kept = new Set([...kept, ...files.flatMap((code) => readsIn(lightened(code, kept)))])
      }
    },
    transform(code, id) {
      const isContract = path.dirname(id.split('?')[0] ?? '') === contract
      return isContract ? { code: lightened(code, kept), map: null } : null
    },
  }
}
