import { registerHooks } from 'node:module'

// Runs before the product: what it says in German is then said in a language that nobody speaks.
const catalogue = /\/contract\/messages\/de\/(\w+)\.ts$/

registerHooks({
  load(url, context, next) {
    const name = catalogue.exec(url)?.[1]
    if (name === undefined) return next(url, context)
    const maker = new URL('pseudo-messages.ts', import.meta.url).href
    const source = `import { ${name} as english } from '../en/${name}.ts'
import { pseudoMessages } from '${maker}'
export const ${name} = pseudoMessages(english)`
    return { format: 'module', source, shortCircuit: true }
  },
})
