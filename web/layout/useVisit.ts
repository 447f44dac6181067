import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pages } from '#contract/roles.ts'
import { session } from '#web/api/session.ts'
import { visits, type Visit } from '#web/api/visits.ts'
import { useSession } from '../session/useSession.ts'

/** Whose visits are kept: nobody's while somebody is looked at through their eyes. */
function useVisitor(): string | undefined {
  const { user, viewing } = useSession()
  return viewing ? undefined : user?.id
}

/** What is drawn while somebody leaves, in this tab or in another, is remembered for nobody. */
function keep(personId: string, visit: Parameters<typeof visits.add>[1]): void {
  if (session.read().user?.id === personId) visits.add(personId, visit)
}

/** Remembers, for the search of the bar, that this was opened, as soon as its title is known. */
export function useVisit({ kind, title, detail, picture, path }: Omit<Visit, 'times' | 'at'>): void {
  const personId = useVisitor()
  useEffect(() => {
    if (personId !== undefined && title !== '') keep(personId, { kind, title, detail, picture, path })
  }, [personId, kind, title, detail, picture, path])
}

/** Pages that show no single thing: what shows one remembers it itself. */
const plainPages = pages
  .map(({ path }) => path)
  .filter(
    (path) =>
      !/\$(?:user|group|video|transmission|operation)Id|^\/(?:search|layouts)|Id\/(?:dashboard|edit)$/.test(
        path,
      ),
  )
  .map((path) => new RegExp(`^${path.replace('$orgId', '[^/]+')}$`))

/** Remembers the pages of the console as they are opened, by their title in the browser's tab, and what stands above it. */
export function usePageVisits(): void {
  const router = useRouter()
  const personId = useVisitor()
  useEffect(() => {
    if (personId === undefined) return
    const remember = (path: string) => {
      const [title = '', ...under] = document.title.split(' · ').slice(0, -1)
      if (title === '' || !plainPages.some((pattern) => pattern.test(path))) return
      const above = [...document.querySelectorAll('[data-part="crumbs"] li')].map(
        (crumb) => crumb.textContent,
      )
      keep(personId, { kind: 'page', title, detail: [...above, ...under].join(' › '), picture: null, path })
    }
    remember(router.state.location.pathname)
    return router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
      if (fromLocation?.pathname !== toLocation.pathname) remember(toLocation.pathname)
    })
  }, [router, personId])
}
