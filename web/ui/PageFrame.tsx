import type { ReactNode } from 'react'
import { PageHead } from './PageHead.tsx'
import { Bone, RowBones } from './feedback/Skeletons.tsx'
import shapes from './look/shapes.module.css'

/** What a page gives to the router, to be drawn in its place: while it is fetched, or (`lost`) with the line that says why it is not there. */
export type FrameProps = { lost?: ReactNode }

type Props = FrameProps & {
  /** What kind of thing the page is about, for its title where that is lost. */
  name: string
  crumbs?: ReactNode
  /** Whether it is about somebody with a face. */
  hasMark?: boolean
  hasLead?: boolean
  /** Whether its head has a primary action. */
  hasAction?: boolean
  /** What is known already: tabs, a toolbar. */
  children?: ReactNode
  /** In the places of what will come. */
  bones?: ReactNode
}

/** The frame of a page without what it is about. */
export function PageFrame({ name, crumbs, children, lost, bones, ...has }: Props) {
  const isComing = lost === undefined
  return (
    <>
      <PageHead
        title={isComing ? null : name}
        crumbs={crumbs}
        lead={has.hasLead ? (isComing ? null : '\u00a0') : undefined}
        mark={isComing && has.hasMark && <Bone width="48px" height={48} isRound />}
        actions={isComing && has.hasAction && <Bone width="128px" height={44} />}
      />
      {children}
      {lost ?? bones ?? <RowBones />}
      <p role="status" className={shapes.sr}>
        {isComing && 'Loading the page'}
      </p>
    </>
  )
}
