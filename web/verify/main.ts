import type { CertificateFile } from '#contract/evidence/certificate-format.ts'
import { chainOf, check, type Installation } from './check.ts'
import { read } from './read.ts'
import { articleOf, chainArticle } from './view.ts'

const byId = (id: string) => document.getElementById(id)
const drop = byId('drop')
const input = byId('files')
const results = byId('results')
const known = byId('installation')?.textContent

if (drop && results && input instanceof HTMLInputElement && known) {
  // Written into the page by our own server.
  start({ drop, input, results }, JSON.parse(known) as Installation)
}

type CheckedFile = { article: HTMLElement; genuine: CertificateFile[] }

/** A text that was changed may be anything, also what nobody can show. */
async function tell(file: File, installation: Installation): Promise<CheckedFile> {
  try {
    const verdict = await check(await read(file), installation)
    const article = articleOf(file.name, verdict, installation)
    return { article, genuine: verdict.state === 'genuine' ? [verdict.file] : [] }
  } catch {
    const verdict = { state: 'unreadable', fault: 'damaged' } as const
    return { article: articleOf(file.name, verdict, installation), genuine: [] }
  }
}

type Parts = { drop: HTMLElement; input: HTMLInputElement; results: HTMLElement }

function start({ drop, input, results }: Parts, installation: Installation): void {
  let turn = 0

  async function verify(files: readonly File[]): Promise<void> {
    const mine = (turn += 1)
    const checked = await Promise.all(files.map((file) => tell(file, installation)))
    // Somebody has chosen others in the meantime.
    if (mine !== turn) return
    const chain = chainOf(checked.flatMap(({ genuine }) => genuine))
    const articles = checked.map(({ article }) => article)
    results.replaceChildren(...(chain.length > 0 ? [chainArticle(chain)] : []), ...articles)
  }

  drop.hidden = false
  // Once saved, there is nothing to save, and nothing to ask for in another language.
  if (location.protocol === 'file:') for (const id of ['keep', 'languages']) byId(id)?.remove()
  input.addEventListener('change', () => {
    void verify([...(input.files ?? [])])
    input.value = ''
  })
  const over = (event: DragEvent) => {
    event.preventDefault()
    drop.toggleAttribute('data-over', event.type === 'dragover')
  }
  // Wherever it is dropped: a browser would otherwise leave the page and show the file.
  for (const type of ['dragover', 'dragleave'] as const) window.addEventListener(type, over)
  window.addEventListener('drop', (event) => {
    over(event)
    const files = [...(event.dataTransfer?.files ?? [])]
    if (files.length > 0) void verify(files)
  })
}
