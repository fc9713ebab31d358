# frozen_string_literal: true

require_relative "../../../native/gvl_work"

# Requests that do not end; those that compute do when a file is there.
class Endless
  STOP = File.join(ENV.fetch("HOLDUP_DIR"), "..", "stop")
  MINUTES_NS = 600_000_000_000

  def self.compute
    1_000.times { 1 + 1 } until File.exist?(STOP)
  end
end

run(lambda do |env|
  case env["PATH_INFO"]
  when "/sleeps" then sleep
  when "/computes" then Endless.compute
  when "/keeps" then GvlWork.block(Endless::MINUTES_NS) # C code that never gives the GVL back
  end
  [200, {}, ["ok"]]
end)
