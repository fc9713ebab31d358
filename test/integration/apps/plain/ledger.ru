# frozen_string_literal: true

# Writes the begin and the end of each request to a file that outlives the process.
LEDGER = File.open(File.join(File.dirname(ENV.fetch("HOLDUP_DIR")), "ledger"),
  File::WRONLY | File::CREAT | File::APPEND)

run(lambda do |env|
  name = env["PATH_INFO"]
  LEDGER.syswrite("begin #{Process.pid} #{name}\n")
  IO.select(nil, nil, nil, rand * 0.05)
  LEDGER.syswrite("end #{Process.pid} #{name}\n")
  [200, {}, ["ok"]]
end)
