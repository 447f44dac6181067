import path from 'node:path'

/** The sources of the web app. */
export const web = path.resolve(import.meta.dirname, '../web')

/** What the web app and the server agree on. */
export const contract = path.resolve(import.meta.dirname, '../contract')
