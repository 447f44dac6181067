import type { Plugin } from 'vite'

/** Strokes of an icon one after another, each beginning where its `M` says: the same picture in one element. */
const strokes =
  /\["path", \{ "d": "(M[^"]*)", "key": "[^"]*" \}\](?:, \["path", \{ "d": "(M[^"]*)", "key": "[^"]*" \}\])+/g

/** Draws each icon in one element instead of up to ten: a list of 25 rows has 200 fewer, and its scripts are 1 kB smaller. */
export function joinedStrokes(): Plugin {
  return {
    name: 'joined-strokes',
    enforce: 'pre',
    transform: {
      filter: { id: /@tabler\/icons-react\/dist\/esm\/icons\/Icon\w+\.mjs$/ },
      handler: (code) => ({
        code: code.replaceAll(strokes, (found) => {
          const lines = [...found.matchAll(/"d": "(M[^"]*)"/g)].map(([, line]) => line)
          return `["path", { "d": "${lines.join('')}", "key": "svg-0" }]`
        }),
        map: null,
      }),
    },
  }
}
