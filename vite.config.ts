import react from '@vitejs/plugin-react'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vite'
import { adoptedSheets } from './build/adopted.ts'
import { inlineBoot } from './build/boot.ts'
import { groups } from './build/chunks.ts'
import { preserveSymlinks, web } from './build/folders.ts'
import { precompressed, toldBuilds } from './build/output.ts'
import { filesOfPages } from './build/pages.ts'
import { drawnPages, publicPages } from './build/publicPages.ts'
import { verifyScript } from './build/verify.ts'
import { earlyPaint, fewerColours, inlineStart, writtenSheets } from './build/styles.ts'
import { inLanguage } from './build/texts/plugin.ts'

const watch = path.join(web, 'watch/main.ts')

/** The language of this build, when it is another than English: see run/build.mjs. */
const tag = process.env['WEB_LANGUAGE']

const target = 'es2023'
/** Pages get their messages as data, so no browser needs the parser, three quarters of the library. */
const resolve = {
  preserveSymlinks,
  alias: { '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js' },
}

export default defineConfig({
  root: web,
  cacheDir: path.resolve(import.meta.dirname, '.cache/vite'),
  plugins: [
    ...(tag ? [inLanguage(tag)] : []),
    react(),
    writtenSheets(),
    fewerColours(),
    adoptedSheets(),
    publicPages(),
    verifyScript({ resolve, build: { target } }),
    inlineBoot(),
    inlineStart(),
    earlyPaint(),
    filesOfPages(),
    drawnPages(tag ? [inLanguage(tag)] : []),
    precompressed(),
    toldBuilds(),
  ],
  resolve,
  css: { modules: { generateScopedName: '_[hash:base64:5]' } },
  server: {
    proxy: {
      '/api': process.env['API_URL'] ?? 'http://localhost:3000',
      '/m/': process.env['API_URL'] ?? 'http://localhost:3000',
    },
  },
  build: {
    outDir: process.env['WEB_FOLDER'] ?? (tag ? `../dist/texts/${tag}` : '../dist/web'),
    emptyOutDir: true,
    manifest: true,
    // Whose work is in the files: read by the release, served to nobody.
    license: { fileName: '.vite/license.json' },
    target,
    assetsInlineLimit: 2048,
    // kB; the engine of videos, which is fetched by who plays one, is that large.
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    rollupOptions: {
      // The page of a video imports its engine and its questions by address, and uses what they export.
      preserveEntrySignatures: 'exports-only',
      input: {
        console: path.join(web, 'index.html'),
        public: path.join(web, 'public.html'),
        ...(existsSync(watch)
          ? {
              watch,
              engine: path.join(web, 'player/engine.ts'),
              controls: path.join(web, 'watch/controls.ts'),
              chapters: path.join(web, 'watch/chapters.ts'),
              captions: path.join(web, 'watch/captions.ts'),
              transcript: path.join(web, 'watch/transcript.ts'),
              receipt: path.join(web, 'watch/receipt.ts'),
              own: path.join(web, 'watch/own.ts'),
              quiz: path.join(web, 'watch/quiz.ts'),
              gate: path.join(web, 'watch/gate.ts'),
            }
          : {}),
      },
      output: { codeSplitting: { groups } },
    },
  },
})
