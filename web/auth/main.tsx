import '#web/ui/tokens.css'
import '#web/shell/face.css'
import './public.css'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { shownPath } from './navigate.ts'
import { PublicApp } from './PublicApp.tsx'

const root = document.querySelector('#root')
const app = <PublicApp drawn={shownPath()} />
// Built pages are drawn already; in development the root is empty.
if (root?.firstElementChild) hydrateRoot(root, app)
else if (root) createRoot(root).render(app)
