import path from 'node:path'
import type { ESTree, Plugin } from 'vite'
import { contract } from './folders.ts'

/** What the browser reads of an endpoint: where it is, and how its answers are kept. Who may call it with what is the server's to check. */
const read = new Set(['name', 'method', 'path', 'cacheSeconds', 'idempotent'])

type Edit = { start: number; end: number; text: string }

/**
 * Of the contract, a page takes along the endpoints that it calls and the schemas that it reads with, not those that only the server
 * checks with: a list is 5 to 8 kB smaller, and builds no schemas of answers that it never checks.
 */
export function lighterContract(): Plugin {
  return {
    name: 'lighter-contract',
    apply: 'build',
    enforce: 'post',
    transform(code, id) {
      if (path.dirname(id) !== contract) return null
      const edits = this.parse(code).body.flatMap((statement) => editsOf(statement, code))
      const lighter = edits.reduceRight(
        (text, { start, end, text: now }) => text.slice(0, start) + now + text.slice(end),
        code,
      )
      return { code: lighter, map: null }
    },
  }
}

/** Everything in the contract only says what something is: whatever no page names may go, without looking at what it does. */
function editsOf(statement: ESTree.Statement, code: string): Edit[] {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declared?.type !== 'VariableDeclaration') return []
  return declared.declarations.flatMap(({ init }) => {
    if (init?.type !== 'CallExpression') return []
    const { start, end } = init
    return [
      { start, end, text: endpointIn(init, code) ?? `/* @__PURE__ */ (() => ${code.slice(start, end)})()` },
    ]
  })
}

function endpointIn({ callee, arguments: [given] }: ESTree.CallExpression, code: string): string | undefined {
  if (callee.type !== 'Identifier' || callee.name !== 'endpoint' || given?.type !== 'ObjectExpression')
    return undefined
  const kept = given.properties.filter(
    (one) => one.type === 'Property' && one.key.type === 'Identifier' && read.has(one.key.name),
  )
  return `{ ${kept.map(({ start, end }) => code.slice(start, end)).join(', ')} }`
}
