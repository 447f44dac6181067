import { trainingLetters, trainingStates } from '#contract/matrix/standing.ts'
import type { TrainingRow, TrainingVideo } from '#contract/matrix/training.ts'
import { dash, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import styles from './Paper.module.css'
import { stateAt, states } from '#web/ui/figures/standings.ts'

type Props = {
  /** These are the rows that are known, in their order. */
  people: readonly TrainingRow[]
  /** The filters find this number of people. */
  total: number
  videos: readonly TrainingVideo[]
  placeOf: (videoId: string) => number
}

/** A sheet has this number of videos side by side. */
const columns = 32

/** Draws the matrix on paper: every row that is known and every video, a letter in each cell, in as many tables as the videos need. */
export function Paper({ people, total, videos, placeOf }: Props) {
  const blocks = Array.from({ length: Math.ceil(videos.length / columns) }, (_none, n) => n * columns)
  const until = (from: number) => Math.min(from + columns, videos.length)
  return (
    <div className={styles.paper}>
      <p className={shapes.row}>
        {trainingStates.map((state) => (
          <span key={state}>
            <b data-state={state}>{trainingLetters[state].toUpperCase()}</b> {states[state].word}
          </span>
        ))}
        <span>
          <b>{dash}</b> Not sent
        </span>
      </p>
      {people.length < total && (
        <p>
          {`These are the first ${formatNumber(people.length)} of ${plural(total, 'person', 'people')}. “Print” in the menu of the page prints up to ${formatNumber(mostPrinted)}; “Download” has all of them.`}
        </p>
      )}
      {blocks.map((from) => (
        <table key={from}>
          <caption>
            Videos {formatNumber(from + 1)} to {formatNumber(until(from))} of {formatNumber(videos.length)}
          </caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Completed</th>
              {videos.slice(from, until(from)).map(({ id, title }) => (
                <th key={id} scope="col">
                  <span className={shapes.cut}>{title}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {people.map((person) => (
              <tr key={person.id}>
                <th scope="row">{person.name}</th>
                <td>{person.required === 0 ? dash : formatShare(person.done / person.required)}</td>
                {videos.slice(from, until(from)).map(({ id }) => {
                  const state = stateAt(person.cells, placeOf(id))
                  return (
                    <td key={id} data-state={state}>
                      {state ? trainingLetters[state].toUpperCase() : dash}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  )
}

/** More rows would make a book, and the file has all of them. */
export const mostPrinted = 1_000
