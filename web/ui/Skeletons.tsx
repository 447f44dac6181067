import classes from './Skeletons.module.css'
import shapes from './shapes.module.css'

/** A grey bar of the size of what will come. */
export function Bone({ width = '100%', height = 12 }: { width?: string; height?: number }) {
  return <span data-part="bone" className={classes.bone} style={{ width, height }} />
}

/** Stands for a page whose kind is not known yet: a head and a table. */
export function PageSkeleton() {
  return (
    <div data-waiting role="status" aria-label="Loading the page">
      <div className={classes.head}>
        <Bone width="200px" height={24} />
        <span className={classes.thread} />
      </div>
      <div className={`${shapes.card} ${classes.rows}`}>
        {['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((row, index) => (
          <Bone key={row} width={`${90 - ((index * 13) % 40)}%`} />
        ))}
      </div>
    </div>
  )
}
