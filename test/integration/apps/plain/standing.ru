# frozen_string_literal: true

# Requests that do not end.
class Endless
  def self.compute
    loop { 1 + 1 }
  end
end

run(lambda do |env|
  case env["PATH_INFO"]
  when "/sleeps" then sleep
  when "/computes" then Endless.compute
  end
  [200, {}, ["ok"]]
end)
