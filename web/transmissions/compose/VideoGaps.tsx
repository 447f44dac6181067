import { Link } from '@tanstack/react-router'
import { language } from '#contract/platform/text/language.ts'
import type { Gap } from '#contract/videos/readiness.ts'
import { languageName } from '#contract/videos/shown-captions.ts'
import type { VideoDetail } from '#contract/videos/videos.ts'
import { paths } from '#web/paths.ts'
import { plural } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import shapes from '#web/ui/look/shapes.module.css'

/** These may be so all the same, or pass by themselves, so that they have no colour. */
const soft: ReadonlySet<Gap['code']> = new Set(['preparing', 'not_proof_read'])

function gapText({ code, languages, cues }: Gap): string {
  const names = new Intl.ListFormat(language).format(languages.map((tag) => languageName(tag, language)))
  switch (code) {
    case 'failed':
      return 'It could not be made ready.'
    case 'preparing':
      return 'It is still being prepared.'
    case 'no_captions':
      return 'It has no captions.'
    case 'recognised':
      return `A program made its captions (${names}), and nobody has proof-read them.`
    case 'not_proof_read':
      return `Nobody has marked its captions as proof-read (${names}).`
    case 'too_fast':
      return `${plural(cues, 'caption is', 'captions are')} gone before they can be read (${names}).`
  }
}

/** Says in one line what is missing of a video before people are sent it. It stops nothing. */
export function VideoGaps({ video: { id, readiness } }: { video: VideoDetail }) {
  const { gaps } = readiness
  if (gaps.length === 0) return null
  const line = (
    <>
      {gaps.map(gapText).join(' ')} <Link to={paths.video(id)}>Open the video</Link>
    </>
  )
  if (gaps.every(({ code }) => soft.has(code))) return <p className={shapes.hint}>{line}</p>
  return (
    <Notice tone="warning" role="status">
      {line}
    </Notice>
  )
}
