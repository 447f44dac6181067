import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { preprocessCSS, type Plugin, type ResolvedConfig } from 'vite'
import { dense } from './styles.ts'

const query = '?adopted'
/** Of the script in place of the sheet: no name that would be taken for a sheet. */
const ending = '.adopted.js'

/**
 * Sheets of what is drawn without the console, on the page of a video: `quiz.module.css?adopted` puts its sheet into the page and
 * tells the names of its classes (`web/player/adopted.d.ts`), so that script and style come in one file, fetched when it is needed.
 */
export function adoptedSheets(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'adopted-sheets',
    enforce: 'pre',
    configResolved: (resolved) => void (config = resolved),
    resolveId: (id, importer = '') =>
      id.endsWith(query)
        ? `\0${path.resolve(path.dirname(importer), id.slice(0, -query.length))}${ending}`
        : null,
    load: {
      filter: { id: /\.adopted\.js$/ },
      async handler(id) {
        const file = id.slice(1, -ending.length)
        this.addWatchFile(file)
        const { code, modules = {} } = await preprocessCSS(await readFile(file, 'utf8'), file, config)
        return `const sheet = new CSSStyleSheet()
sheet.replaceSync(${JSON.stringify(dense(code))})
document.adoptedStyleSheets.push(sheet)
const names = ${JSON.stringify(modules)}
export const named = (name) => names[name]`
      },
    },
  }
}
