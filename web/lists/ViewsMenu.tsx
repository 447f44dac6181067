import { useLocation } from '@tanstack/react-router'
import { IconBookmark } from '@tabler/icons-react'
import { Suspense } from 'react'
import type { ViewedList } from '#contract/directory/views.ts'
import { Flyout, FlyoutButton } from '#web/ui/overlays/Flyout.tsx'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import type { ViewContent } from './views.ts'

export type ViewsOfList = ViewContent & {
  list: ViewedList
  /** Whose list it is; none for the list of all organizations. */
  orgId?: string | undefined
  /** What a new view will hold, where it is not what those of lists do. */
  holds?: string | undefined
}

export const ViewsPanel = onDemand(async () => (await import('./ViewsPanel.tsx')).ViewsPanel)
const PresentView = onDemand(async () => (await import('./ViewsPanel.tsx')).PresentView)

/** The saved views of a list; the button says which one is open, and whether it is still what was saved. */
export function ViewsMenu(viewed: ViewsOfList) {
  const hasView = useLocation({ select: ({ search }) => 'view' in search })
  return (
    <FlyoutButton
      icon={<IconBookmark size={16} aria-hidden />}
      label={
        hasView ? (
          <Suspense fallback="Saved views">
            <PresentView {...viewed} />
          </Suspense>
        ) : (
          'Saved views'
        )
      }
    >
      {(id) => (
        <Flyout id={id} label="Views of the list">
          <ViewsPanel id={id} {...viewed} />
        </Flyout>
      )}
    </FlyoutButton>
  )
}
