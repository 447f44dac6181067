import { renderToString } from 'react-dom/server'
import { paths } from '#web/paths.ts'
import { late } from './late.ts'
import { latePages } from './LatePages.tsx'
import { isLate, PublicApp, publicPages } from './PublicApp.tsx'

/** Pages whose first sight depends on what only the browser knows: the address, the running flow, the session. */
const empty = new Set([
  paths.signUp(),
  paths.confirm(),
  paths.reportMails(),
  paths.newPassword(),
  paths.loginPassword(),
  paths.lockScreen(),
])

type DrawnPage = { path: string; title: string; html: string; isLate: boolean }

/** Draws the public pages, for the build. */
export function drawPages(): DrawnPage[] {
  late.has(latePages)
  return Object.entries(publicPages).map(([path, { title }]) => ({
    path,
    title,
    html: empty.has(path) ? '' : renderToString(<PublicApp drawn={path} />),
    isLate: isLate(path),
  }))
}
