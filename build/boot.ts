import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin } from 'vite'
import { web } from './folders.ts'

/**
 * Writes the boot script into the pages, and into the console's what asks for the first data: one request less before each. The
 * server allows them by their hashes.
 */
export function inlineBoot(): Plugin {
  const script = async (file: string, injectTo: 'head' | 'head-prepend') => ({
    tag: 'script',
    children: await readFile(path.join(web, file), 'utf8'),
    injectTo,
  })
  return {
    name: 'inline-boot',
    transformIndexHtml: async (_html, { filename }) => [
      // Before everything else: a browser has six connections, and the bundles would take them all.
      ...(path.basename(filename) === 'index.html' ? [await script('first.js', 'head-prepend')] : []),
      await script('boot.js', 'head'),
    ],
  }
}
