# frozen_string_literal: true

if ENV["METHOD_NEIGHBOURS"]
  require ENV["METHOD_NEIGHBOURS"]
  MethodNeighbours.wrap_hooked_methods
end

# Keeps the GVL for time slice after time slice.
class Report
  def self.crunch(seconds)
    stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < stop
  end
end

# Every way in which a Rack application can answer.
run(lambda do |env|
  case env["PATH_INFO"]
  when "/boom" then raise "boom"
  when "/broken" then [503, {}, ["no"]]
  when "/stream" then [200, {}, Enumerator.new { |out| 3.times { sleep(0.02) && out << "x" } }]
  when "/callable" then [200, {}, ->(io) { sleep(0.02) && io.write("x") && io.close }]
  when "/hijack"
    io = env["rack.hijack"].call
    io.write("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhijacked")
    io.close
    [-1, {}, []]
  when "/named" then (Holdup.name = "A name of its own") && [200, {}, ["ok"]]
  when "/fork"
    pid = fork { Holdup.measure("in the child") { 1 } && exit }
    Process.wait(pid)
    [200, {}, [pid.to_s]]
  when "/callers" then [200, {}, [caller.join("\n")]]
  when "/threads" then Puma::Server.current.update_thread_pool_min_max(min: 1, max: 4) && [200, {}, ["ok"]]
  when "/loaded" then [200, {}, [[*Gem.loaded_specs.keys, *$LOADED_FEATURES].join("\n")]]
  when "/pid" then [200, {}, [Process.pid.to_s]]
  when "/light" then 3.times { sleep(0.001) } && [200, {}, ["ok"]]
  when "/hog"
    Report.crunch(0.3)
    [200, {}, ["ok"]]
  when "/busy" # takes the GVL five times
    5.times do
      stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.02
      nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < stop
      sleep 0.001
    end
    [200, {}, ["ok"]]
  else [200, {"content-type" => "text/plain"}, ["ok"]]
  end
end)
