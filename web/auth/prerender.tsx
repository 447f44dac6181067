import { renderToString } from 'react-dom/server'
import { paths } from '#web/paths.ts'
import { PublicApp, publicPages } from './PublicApp.tsx'

/** Pages whose first sight depends on what only the browser knows: the address, the running flow, the session. */
const left = new Set([
  paths.signUp(),
  paths.confirm(),
  paths.newPassword(),
  paths.loginPassword(),
  paths.lockScreen(),
])

/** Draws the public pages, for the build: address, title and markup. */
export function drawPages(): { path: string; title: string; html: string }[] {
  return Object.entries(publicPages)
    .filter(([path]) => !left.has(path))
    .map(([path, { title }]) => ({
      path,
      title,
      html: renderToString(<PublicApp drawn={path} />),
    }))
}
