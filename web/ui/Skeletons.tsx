import classes from './Skeletons.module.css'

/** A grey bar of the size of what will come. */
export function Bone({ width = '100%', height = 12 }: { width?: string; height?: number }) {
  return <span className="ui-bone" style={{ width, height }} />
}

/** Stands for a page whose kind is not known yet: a head and a table. */
export function PageSkeleton() {
  return (
    <div className="ui-page-skeleton" role="status" aria-label="Loading the page">
      <div className={classes['head']}>
        <Bone width="200px" height={24} />
        <span className={classes['thread']} />
      </div>
      <div className="ui-card ui-skeleton-rows">
        {['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((row, index) => (
          <Bone key={row} width={`${90 - ((index * 13) % 40)}%`} />
        ))}
      </div>
    </div>
  )
}
