# frozen_string_literal: true

require "gvl_timing"
$LOAD_PATH.unshift(File.expand_path("../../..", __dir__))
require "native/gvl_work"

# Each request measured by gvl_timing too: "wall running stalled idle" in ns, one line each, in the file
# TIMINGS.
class Timed
  STATES = %i[duration running_duration stalled_duration idle_duration].freeze

  # Writes in a thread of its own: a write gives the GVL up, and getting it back would be part of the request.
  def initialize(app, file)
    @app = app
    @lines = Queue.new
    Thread.new { loop { file.syswrite(@lines.pop) } }
  end

  # Until the answer is sent, as Holdup does.
  def call(env)
    return @app.call(env) if env["PATH_INFO"] == "/up"
    timer = GVLTiming::Timer.new
    env.fetch("rack.after_reply") << -> { finish(timer) }
    timer.start
    @app.call(env)
  end

  private

  def finish(timer)
    timer.stop
    @lines << STATES.map { |state| timer.public_send(state, :nanosecond) }.join(" ").concat("\n")
  end
end

use Timed, File.open(ENV.fetch("TIMINGS", IO::NULL), "a")
run lambda { |env|
  random = Random.new(env["QUERY_STRING"].to_i)
  4.times do
    GvlWork.hold(random.rand(2_000_000..8_000_000))
    GvlWork.wait(random.rand(2_000_000..8_000_000))
  end
  [200, {"content-type" => "text/plain"}, ["done"]]
}
