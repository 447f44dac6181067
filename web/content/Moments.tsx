import { Link } from '@tanstack/react-router'
import { momentHash, type Moment } from '#contract/videos/moments.ts'
import { paths } from '#web/paths.ts'
import { formatClock } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import classes from './Moments.module.css'

type Props = { videoId: string; moments: readonly Moment[] | undefined }

/** Where the words of a search are said, each of them a way to that second. */
export function Moments({ videoId, moments }: Props) {
  if (!moments || moments.length === 0) return null
  return (
    <ul className={classes.moments} aria-label="Said in it">
      {moments.map(({ atMs, text, language }) => (
        <li key={`${language} ${atMs}`}>
          <Link to={paths.video(videoId)} hash={momentHash(atMs)}>
            <span>{formatClock(atMs)}</span>
            <q className={shapes.cut} lang={language} dir="auto">
              {text}
            </q>
          </Link>
        </li>
      ))}
    </ul>
  )
}
