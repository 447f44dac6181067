import path from 'node:path'
import type { Rolldown } from 'vite'
import { web } from './folders.ts'

const publicPage = path.join(web, 'public.html')
const publicPages = path.join(web, 'identity')

/**
 * The public pages share with the console what the first of them begins with (`base`), and what those need that are fetched once
 * somebody is there (`late`). Neither file holds anything of the console, whatever else asks for its modules.
 */
function ofPublicPages(id: string, graph: Rolldown.ChunkingContext): string | null {
  if (id === publicPage || path.dirname(id).startsWith(publicPages)) return null
  const importers = importersOf(id, graph)
  if (importers.has(publicPage)) return 'base'
  return [...importers].some((one) => path.dirname(one) === publicPages) ? 'late' : null
}

/** All that import a module, themselves or through others. */
function importersOf(id: string, graph: Rolldown.ChunkingContext, found = new Set<string>()): Set<string> {
  for (const one of graph.getModuleInfo(id)?.importers ?? [])
    if (!found.has(one)) importersOf(one, graph, found.add(one))
  return found
}

/** Whether a module lies in one of these folders of `web/`. */
const liesIn =
  (...folders: string[]) =>
  (id: string) =>
    folders.some((folder) => id.startsWith(path.join(web, folder, path.sep)))

/**
 * A group takes along all that its modules import, unless a group before it has that already; so no file ever imports one
 * that comes after it. (Without, files import one another in a circle, and then a module is used before it has run.)
 * Neither public pages nor the video page may import `ui`, which starts the console: e2e/weight.long.e2e.ts weighs both.
 *
 * Left to the bundler alone, a list would be 203 to 215 kB in 66 to 83 files.
 */
export const groups: Rolldown.CodeSplittingGroup[] = [
  { name: ofPublicPages, debugName: 'public', priority: 5 },
  // On the page of a video and in the preview of the console.
  { name: 'recorder', test: liesIn('recorder'), priority: 4 },
  // The files of `web/` itself start the console, and bring whatever it begins with.
  { name: 'ui', test: (id) => path.dirname(id) === web && id.endsWith('.tsx'), priority: 3 },
  // A part that only one page or panel uses stays with that.
  {
    name: 'lists',
    test: (id) => liesIn('layout', 'lists', 'ui/table')(id) || id.includes('/@tabler/icons-react/'),
    minShareCount: 2,
    priority: 2,
  },
  { name: 'figures', test: liesIn('dashboard/sections', 'ui/plot'), minShareCount: 2, priority: 1 },
]
