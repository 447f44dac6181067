import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import styles from './Report.module.css'
import type { ReportState } from './report.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  /** What the report is about. */
  state: ReportState
  sort: string
  /** What the people have to do with: the title of a video, the subject of a transmission. */
  of: string
  /** How many they are. */
  children: string
}

/** From a figure of a row to the people behind it: the report that lists people, with the same period and filters, and this one more. */
export function ToPeople({ state, sort, of, children }: Props) {
  const { period, from, to, organization, group, project, video, transmission } = state
  const search = { period, from, to, organization, group, project, video, transmission, sort }
  const given = Object.entries(search).filter(([, value]) => value !== '')
  return (
    <Link to={paths.reportUserActivity()} search={Object.fromEntries(given)} className={styles.people}>
      <span className={shapes.sr}>People: {of}, </span>
      {children}
    </Link>
  )
}
