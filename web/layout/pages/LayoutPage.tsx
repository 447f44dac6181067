import { Notice } from '#web/ui/Notice.tsx'
import { useMatch } from '@tanstack/react-router'
import { useState } from 'react'
import { readDashboard } from '#contract/directory/organizations.ts'
import { prefetch, useEndpoint } from '../../api/query.ts'
import { demoLayouts, layoutPageAt } from '../demoLayouts.ts'
import { aboutPages } from './about.ts'
import { SentFigure, ViewingFigures, ViewingPlot } from '../../ui/KeyFigures.tsx'
import { DayTable } from './DayTable.tsx'
import { LayoutHead, SubItemsHead, ToolsHead } from './LayoutHead.tsx'
import { wholeRange } from './range.ts'
import { RangeField, RangePlot } from './RangePlot.tsx'
import classes from './LayoutPage.module.css'
import shapes from '#web/ui/shapes.module.css'

export function load() {
  return prefetch(readDashboard, {})
}

/** All pages below /layouts; `about.ts` says what they are called, and `../DemoLayout.tsx` shows their layout. */
export function LayoutPage() {
  const { fullPath } = useMatch({ strict: false })
  const numbers = useEndpoint(readDashboard, {})
  const { days, recipients, resting } = numbers
  const [range, setRange] = useState(wholeRange(days))
  const page = layoutPageAt(fullPath)
  if (!page) return null
  const { label, group, sentence, extra } = aboutPages[page]
  const hasLayout = Object.keys(demoLayouts[page]).length > 0
  return (
    <>
      {extra === 'sub-items' && <SubItemsHead title={label} />}
      {extra === 'tools' && (
        <ToolsHead title={label} tools={<RangeField days={days} range={range} onChange={setRange} />} />
      )}
      {extra !== 'sub-items' && extra !== 'tools' && <LayoutHead title={label} group={group} />}
      <div className={`${shapes.stack} ${classes.page}`} data-extra={extra}>
        <div role="note">
          <Notice tone="info">
            {sentence} {hasLayout && 'It lasts while this page is open; your own choices stay.'}
          </Notice>
        </div>
        <ViewingFigures
          numbers={numbers}
          before={<SentFigure recipients={recipients} resting={resting} hint="One for each recipient" />}
        />
        {extra === 'tools' ? <RangePlot days={days} range={range} /> : <ViewingPlot days={days} />}
        {extra === 'tall' && <DayTable days={days} />}
      </div>
    </>
  )
}
