import { readFileSync } from 'node:fs'
import path from 'node:path'
import MarkdownIt from 'markdown-it'
import { slugOf } from './document.ts'

/** What people read first is written once, for the repository and for the pages. */
const source = path.resolve(import.meta.dirname, '../../docs/api.md')

export type Section = { slug: string; title: string; html: string }
export type Guide = {
  /** Before the first heading. */
  intro: string
  sections: Section[]
  /** Each of them has a page. */
  tasks: Section[]
}

const markdown = new MarkdownIt({ html: false })
markdown.renderer.rules['fence'] = (tokens, index) => {
  const { info = '', content = '' } = tokens[index] ?? {}
  const text = markdown.utils.escapeHtml(content.trimEnd())
  return `<pre class="${info === 'bash' ? 'run' : 'text'}" tabindex="0"><code>${text}</code></pre>\n`
}
markdown.renderer.rules['table_open'] = () =>
  '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>'
markdown.renderer.rules['table_close'] = () => '</table></div>'

/** The guide of `docs/api.md`: what stands below “Tasks” has a page each. `$SENDREEL` becomes the address of this installation. */
export function readGuide(origin: string): Guide {
  const text = readFileSync(source, 'utf8').replaceAll('https://training.example.com', origin)
  const [before = '', ...parts] = text.split(/^## /m)
  const sections = parts.filter((part) => !part.startsWith('Tasks\n'))
  const tasks = parts.find((part) => part.startsWith('Tasks\n')) ?? ''
  const drawn = (part: string) => {
    const [title = '', ...rest] = part.split('\n')
    return { slug: slugOf(title), title, html: markdown.render(rest.join('\n')) }
  }
  return {
    intro: markdown.render(before.replace(/^# .*\n/, '')),
    sections: sections.map(drawn),
    tasks: tasks.split(/^### /m).slice(1).map(drawn),
  }
}
