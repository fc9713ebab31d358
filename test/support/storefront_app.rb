# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# What examples/storefront needs beside its server: the process next door and a filled database, in a folder
# of its own.
#
#   StorefrontApp.prepared { |env|
#     ServedApp.serve("bundle", "exec", "unicorn", "-c", "config/unicorn.rb", app: StorefrontApp::PATH, env:)
#   }
module StorefrontApp
  # From test/integration/apps, where ServedApp looks.
  PATH = "../../../examples/storefront"
  ROOT = File.expand_path("../../examples/storefront", __dir__)

  # @yieldparam env [Hash{String => String}] for a server in PATH
  def self.prepared
    folder = Dir.mktmpdir
    upstream = IO.popen([RbConfig.ruby, File.join(ROOT, "upstream/server.rb")])
    http, peer = upstream.gets.split
    env = {"RAILS_ENV" => "production", "STOREFRONT_STORAGE" => folder, "STOREFRONT_UPSTREAM" => http,
           "STOREFRONT_DATABASE_PEER" => peer}
    prepare(env, File.join(folder, "prepare.log"))
    yield env
  ensure
    Process.kill(:TERM, upstream.pid) if upstream
    upstream&.close
    FileUtils.remove_entry(folder)
  end

  def self.prepare(env, log)
    done = system(env, "bundle", "exec", "bin/rails", "db:prepare", chdir: ROOT, out: log, err: log)
    raise "the database could not be made:\n#{File.read(log)}" unless done
  end
  private_class_method :prepare
end
