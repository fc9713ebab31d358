# frozen_string_literal: true

# How a Puma is restarted; each method returns when that is over. For tests with ServerSteps.
module PumaRestarts
  def hot(app)
    replaced(app) { app.signal(:USR2) }
  end

  def phased(app)
    replaced(app) { app.signal(:USR1) }
  end

  # Worker 0 stays what it is, the others are forked from it again.
  def refork(app)
    first = pids(app)[0]
    generation = generations(app)[1]
    replaced(app, server_workers.drop(1)) { app.signal(:URG) }
    assert_equal first, pids(app)[0]
    assert_equal [0, generation + 1], generations(app).values_at(0, 1)
  end
end
