import { Link } from '@tanstack/react-router'
import type { Thread } from '#contract/audience/weave.ts'
import { paths } from '#web/paths.ts'
import { formatNumber, formatStretch } from '#web/ui/format.ts'
import shapes from '#web/ui/shapes.module.css'
import type { Part } from './lacking.ts'
import styles from './Weave.module.css'

const mostNamed = 12

type Props = { orgId: string; videoId: string; people: readonly Thread[]; part: Part }

/** Those who lack what is chosen, each with the way to what they have seen. */
export function Who({ orgId, videoId, people, part }: Props) {
  if (people.length === 0) return null
  return (
    <ul className={`${shapes.row} ${styles.who}`} aria-label={`Who lacks ${formatStretch(part)}`}>
      {people.slice(0, mostNamed).map(({ userId, name }) => (
        <li key={userId}>
          <Link to={paths.evidence(orgId, userId, videoId)}>{name}</Link>
        </li>
      ))}
      {people.length > mostNamed && <li>and {formatNumber(people.length - mostNamed)} more</li>}
    </ul>
  )
}
