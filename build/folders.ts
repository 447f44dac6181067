import path from 'node:path'

/** The sources of the web app. */
export const web = path.resolve(import.meta.dirname, '../web')
