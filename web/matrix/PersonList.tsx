import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TrainingState } from '#contract/matrix/standing.ts'
import type { TrainingRow, TrainingVideo } from '#contract/matrix/training.ts'
import { paths } from '#web/paths.ts'
import { Fold } from '#web/ui/Fold.tsx'
import { plural } from '#web/ui/format.ts'
import type { CellIds } from './Grid.tsx'
import { Mark } from '#web/ui/figures/Standing.tsx'
import { stateAt, worstOf } from '#web/ui/figures/standings.ts'
import rows from '#web/ui/overlays/menu.module.css'
import styles from './Training.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  orgId: string
  people: readonly TrainingRow[]
  videos: readonly TrainingVideo[]
  placeOf: (videoId: string) => number
  state: TrainingState | ''
  onOpen: (chosen: CellIds) => void
}

/** Lists person by person, with their videos folded beneath, where a grid has no room. */
export function PersonList(props: Props) {
  return (
    <ul className={`${shapes.card} ${shapes.ruled} ${styles.people}`} data-screen-only>
      {props.people.map((person) => (
        <li key={person.id} data-row>
          <Person {...props} person={person} />
        </li>
      ))}
    </ul>
  )
}

function Person({ orgId, person, videos, placeOf, state: only, onOpen }: Props & { person: TrainingRow }) {
  const [isOpen, setOpen] = useState(false)
  const all = videos.flatMap((video) => {
    const state = stateAt(person.cells, placeOf(video.id))
    return state ? [{ video, state }] : []
  })
  const known = all.filter(({ state }) => only === '' || state === only)
  const worst = worstOf(all.map(({ state }) => state))
  return (
    <Fold
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      line={
        <>
          <span className={shapes.grow}>
            <strong className={shapes.cut}>{person.name}</strong>
            <span className={shapes.hint}>
              {person.required === 0
                ? 'Nothing to do'
                : `${person.done} of ${plural(person.required, 'video')} completed`}
            </span>
          </span>
          {worst && <Mark state={worst} />}
        </>
      }
    >
      {isOpen && (
        <ul>
          {known.map(({ video, state }) => (
            <li key={video.id}>
              <button
                type="button"
                className={rows.row}
                onClick={() => onOpen({ userId: person.id, videoId: video.id })}
              >
                <span>{video.title}</span>
                <Mark state={state} />
              </button>
            </li>
          ))}
          <li>
            <Link className={rows.row} to={paths.person(orgId, person.id)}>
              Open {person.name}
            </Link>
          </li>
        </ul>
      )}
    </Fold>
  )
}
