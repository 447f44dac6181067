import path from 'node:path'
import { readSources } from './copy.ts'

const most = 8
const isTest = (file: string) => /(?<!\.long)\.test\.tsx?$/.test(file)
const roomOf = (file: string) => file.split('/').slice(0, 2).join('/')
const stemOf = (file: string) => path.basename(file).replace(/\..*$/, '')

/** Tests that could see a fault in a file: those beside it or that import it; then those one import further, and of its room. */
export function testsOf(file: string): [near: string[], far: string[]] {
  const importers = importersByFile()
  const importing = importers.get(file) ?? []
  const tests = [...readSources().keys()].filter(isTest)
  const beside = tests.filter((test) => path.dirname(test) === path.dirname(file))
  const near = nearest(file, [...importing.filter(isTest), ...beside])
  const further = importing.flatMap((importer) => importers.get(importer) ?? []).filter(isTest)
  const inRoom = tests.filter((test) => roomOf(test) === roomOf(file))
  const far = nearest(
    file,
    [...further, ...inRoom].filter((test) => !near.includes(test)),
  )
  return [near, far]
}

/** Those that bear its name or that of its folder first, then those of its room. */
function nearest(file: string, tests: string[]): string[] {
  const distance = (test: string) =>
    Number(!test.includes(`/${stemOf(file)}`)) * 2 + Number(roomOf(test) !== roomOf(file))
  return [...new Set(tests)].sort((a, b) => distance(a) - distance(b)).slice(0, most)
}

function importersByFile(): Map<string, string[]> {
  const pairs = [...readSources()].flatMap(([file, text]) =>
    [...text.matchAll(/(?:from|import)\s*\(?\s*'([#.][^']+)'/g)].map(([, name = '']) => ({
      file,
      target: name.startsWith('#') ? name.slice(1) : path.normalize(path.join(path.dirname(file), name)),
    })),
  )
  const grouped = Map.groupBy(pairs, ({ target }) => target)
  return new Map([...grouped].map(([target, all]) => [target, all.map(({ file }) => file)]))
}
