import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { packFile } from '../release/pack.ts'
import { openapi } from '#server/platform/http/openapi/openapi.ts'
import type { Description } from '#server/reference/document.ts'
import { generate } from './generate.ts'

type Wanted = {
  root: string
  /** The folder where the file is laid. */
  into: string
  version: string
  /** Seconds since 1970 that every entry gets. */
  time: string
}

/** Makes `sendreel-client-VERSION.tgz` as npm installs it, the same bytes from the same sources; gives where it lies. */
export async function packClient({ root, into, version, time }: Wanted): Promise<string> {
  const base = mkdtempSync(path.join(os.tmpdir(), 'sendreel-client-'))
  try {
    const folder = path.join(base, 'package')
    mkdirSync(folder)
    const { script, types } = generate(openapi('Sendreel', version) as Description)
    writeFileSync(path.join(folder, 'index.js'), script)
    writeFileSync(path.join(folder, 'index.d.ts'), types)
    compile(root, folder)
    cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
    const readme = readFileSync(path.join(root, 'client/README.md'), 'utf8')
    writeFileSync(path.join(folder, 'README.md'), readme)
    writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest(version), null, 2)}\n`)
    const file = path.join(into, `sendreel-client-${version}.tgz`)
    await packFile({ base, names: ['package'], time }, file)
    return file
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

const manifest = (version: string) => ({
  name: 'sendreel-client',
  version,
  description: 'A method for each call of the Sendreel API, with its types',
  license: 'MIT',
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  engines: { node: '>=20' },
  sideEffects: false,
})

/** What is written by hand, for whoever has no Node that strips types. */
function compile(root: string, folder: string): void {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
  const options = {
    outDir: folder,
    rootDir: root,
    module: 'nodenext',
    target: 'es2022',
    lib: 'es2024,dom',
    types: '',
    declaration: 'true',
    strict: 'true',
    skipLibCheck: 'true',
    rewriteRelativeImportExtensions: 'true',
  }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const files = ['send', 'events'].map((name) => path.join(root, `client/${name}.ts`))
  execFileSync(process.execPath, [compiler, ...files, '--ignoreConfig', ...words], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}
