import path from 'node:path'
import { build, type Plugin, type UserConfig } from 'vite'
import { web } from './folders.ts'

/**
 * The script of the page that verifies certificates, built apart: the page carries it inside and is saved with it, so it shares no file
 * with other pages.
 */
export function verifyScript({ resolve = {}, build: { target } = {} }: UserConfig): Plugin {
  return {
    name: 'verify-script',
    apply: 'build',
    async buildStart() {
      const built = await build({
        configFile: false,
        root: web,
        logLevel: 'warn',
        resolve,
        build: {
          write: false,
          ...(target === undefined ? {} : { target }),
          modulePreload: false,
          rollupOptions: { input: path.join(web, 'verify/main.ts') },
        },
      })
      const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
      const [script, ...others] = outputs.filter((one) => one.type === 'chunk')
      if (!script || others.length > 0) this.error('The script of the verifying page is not one file')
      for (const file of script.moduleIds) if (path.isAbsolute(file)) this.addWatchFile(file)
      this.emitFile({ type: 'asset', fileName: '.vite/verify.js', source: script.code })
    },
  }
}
