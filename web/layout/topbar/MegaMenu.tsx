import { IconChevronDown } from '@tabler/icons-react'
import { Suspense } from 'react'
import { onDemand } from '#web/ui/onDemand.tsx'
import { product } from '#web/ui/product.ts'
import { BarPanel } from './BarPanel.tsx'

const open = async () => (await import('./MegaPanel.tsx')).MegaPanel
const MegaPanel = onDemand(open)

/** Every area of the product at a glance, from 768 px. */
export function MegaMenu() {
  const button = {
    className: 'bar-mega-open',
    content: (
      <>
        <span>Explore</span>
        <IconChevronDown size={16} aria-hidden />
      </>
    ),
    onNear: () => void open().catch(() => undefined),
  }
  return (
    <BarPanel id="bar-mega" label={`All of ${product.name}`} className="bar-mega" button={button}>
      {(close) => (
        <Suspense fallback={<div className="bar-mega-wait" />}>
          <MegaPanel onFollow={close} />
        </Suspense>
      )}
    </BarPanel>
  )
}
