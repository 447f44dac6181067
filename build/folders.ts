import path from 'node:path'

/** The sources of the web app. */
export const web = path.resolve(import.meta.dirname, '../web')

/** A path is left as it was named where Node.js leaves it so: see `run/build.mjs`. */
export const preserveSymlinks = process.execArgv.includes('--preserve-symlinks')

/** What the web app and the server agree on. */
export const contract = path.resolve(import.meta.dirname, '../contract')
