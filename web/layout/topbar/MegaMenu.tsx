import { IconChevronDown } from '@tabler/icons-react'
import { Suspense } from 'react'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { product } from '#web/ui/product.ts'
import { BarPanel } from './BarPanel.tsx'
import bar from './Topbar.module.css'

const open = async () => (await import('./MegaPanel.tsx')).MegaPanel
const MegaPanel = onDemand(open)

/** Every area of the product at a glance, from 768 px. */
export function MegaMenu() {
  const button = {
    className: bar.wide ?? '',
    content: (
      <>
        <span>Explore</span>
        <IconChevronDown size={16} aria-hidden />
      </>
    ),
    onNear: () => void open().catch(() => undefined),
  }
  return (
    <BarPanel id="bar-mega" label={`All of ${product.name}`} width="page" button={button}>
      {(close) => (
        <Suspense fallback={<div style={{ height: 320 }} />}>
          <MegaPanel onFollow={close} />
        </Suspense>
      )}
    </BarPanel>
  )
}
