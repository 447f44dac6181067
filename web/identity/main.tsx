import 'virtual:tokens.css'
import '#web/ui/look/base.css'
import './public.module.css'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { late } from './late.ts'
import { shownPath } from './navigate.ts'
import { isLate, PublicApp } from './PublicApp.tsx'

/** What is drawn already stays as it is until its script is here; only when that is not to be had, something else takes its place. */
async function start(root: Element): Promise<void> {
  const path = shownPath()
  if (isLate(path)) await late.fetch()
  const app = <PublicApp drawn={path} />
  const isDrawn = root.firstElementChild !== null && late.read() !== 'missing'
  // In development the root is empty, and so it is where only the browser knows what is to be seen.
  if (isDrawn) hydrateRoot(root, app)
  else createRoot(root).render(app)
}

const root = document.querySelector('#root')
if (root) void start(root)
