# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# examples/storefront with what it needs: its databases, and the process next door, both of this test's own.
module Storefront
  APP = File.expand_path("../../examples/storefront", __dir__)
  START_S = 20

  # @yieldparam env [Hash{String => String}] for ServedApp, with `app: Storefront::APP`
  def with_storefront
    Dir.mktmpdir("holdup") do |folder|
      next_door(folder) do |env|
        log = "#{folder}/log"
        prepare = [env, "bundle", "exec", "bin/rails", "db:prepare"]
        assert system(*prepare, chdir: APP, out: log, err: %i[child out]), log
        yield env
      end
    end
  end

  private

  def next_door(folder)
    reader, writer = IO.pipe
    pid = Process.spawn(RbConfig.ruby, "#{APP}/upstream/server.rb", out: writer, in: File::NULL)
    writer.close
    flunk "the process next door did not start" unless reader.wait_readable(START_S)
    upstream, database = reader.gets.split
    yield(
      "RAILS_ENV" => "production",
      "STOREFRONT_STORAGE" => folder,
      "STOREFRONT_UPSTREAM" => upstream,
      "STOREFRONT_DATABASE_PEER" => database
    )
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end
end
