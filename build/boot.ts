import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin } from 'vite'
import type { SkinName } from '#web/ui/skins.ts'
import { web } from './folders.ts'

/** Latin files of the skins' fonts, which every page of the console shows. */
const skinFonts = {
  classic: ['open-sans-latin'],
  material: ['roboto-latin'],
  modern: ['poppins-latin-400-normal', 'poppins-latin-500-normal'],
  saas: ['inter-latin'],
  flat: ['nunito-latin'],
  minimal: ['ibm-plex-sans-latin'],
} satisfies Record<SkinName, readonly string[]>

type Output = {
  type: string
  fileName: string
  names?: string[]
  facadeModuleId?: string | null
  imports?: string[]
  viteMetadata?: { importedCss: Set<string> }
}

/** Addresses of these files in this build. */
function fontFiles(bundle: readonly Output[]): Record<string, string[]> {
  const addressOf = (name: string) => {
    const found = bundle.find(({ names = [] }) => names.includes(`${name}.woff2`))
    if (!found) throw new Error(`The build has no font ${name}`)
    return `/${found.fileName}`
  }
  return Object.fromEntries(Object.entries(skinFonts).map(([skin, files]) => [skin, files.map(addressOf)]))
}

/** For each address of the console, as a pattern: the files of its page that the first page load does not name. */
async function screenFiles(bundle: Record<string, Output>): Promise<Record<string, string[]>> {
  const routes = await readFile(path.join(web, 'routes.tsx'), 'utf8')
  const screens = [...routes.matchAll(/'(\/[^']+)': screen\(\s*\(\) => import\('\.\/([^']+)'\)/g)]
  if (screens.length === 0) throw new Error('routes.tsx names no screen')
  const filesOf = (module: string) => {
    const found = Object.values(bundle).find(
      ({ facadeModuleId }) => facadeModuleId === path.join(web, module),
    )
    if (!found) throw new Error(`The build has no file of ${module}`)
    const own = [found, ...(found.imports ?? []).flatMap((name) => bundle[name] ?? [])]
    const late = own.filter(({ fileName }) => !/\/(base|ui|rolldown-runtime)-/.test(fileName))
    const styles = late.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
    return [...late.map(({ fileName }) => fileName), ...styles].map((name) => `/${name}`)
  }
  return Object.fromEntries(
    screens.map(([, address = '', module = '']) => [address.replaceAll(/\$\w+/g, '[^/]+'), filesOf(module)]),
  )
}

/** Puts the boot file into the pages: one request less before the first paint. The server allows it by its hash. */
export function inlineBoot(): Plugin {
  return {
    name: 'inline-boot',
    apply: 'build',
    async transformIndexHtml(html, { bundle = {}, filename }) {
      const code = await readFile(path.join(web, 'public/boot.js'), 'utf8')
      const isConsole = path.basename(filename) === 'index.html'
      // Public pages are set in the fonts of the device.
      const fonts = isConsole ? fontFiles(Object.values(bundle)) : {}
      const screens = isConsole ? await screenFiles(bundle) : {}
      const short = code
        .replaceAll(/^\s*(\/\/.*\n)?/gm, '')
        .replace('var fonts = {}', () => `var fonts = ${JSON.stringify(fonts)}`)
        .replace('var screens = {}', () => `var screens = ${JSON.stringify(screens)}`)
      return html.replace('<script src="/boot.js"></script>', () => `<script>${short}</script>`)
    },
  }
}
