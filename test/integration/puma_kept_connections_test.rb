# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require_relative "../../benchmark/support/open/server"

# A real Puma 6 under an open load on kept connections, of which there are more than threads.
class PumaKeptConnectionsTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  KEPT = Bench::OpenPattern.new(arrivals: :poisson, kept: true)
  THREADS = 5
  # Busy for about a third of what these threads serve, even of a slow machine.
  RATE = 40
  SECONDS = 6

  def test_puma_6_keeps_threads_from_other_requests
    serve("puma6") do |server|
      found = finding(server)
      assert found, "no finding for kept connections"
      assert_match(/\A6\./, found.facts.fetch(:version))
      assert_equal "max_fast_inline 1", found.change.new
    end
  end

  private

  # @param gemfile [String] of the version
  def serve(gemfile)
    env = {"BUNDLE_GEMFILE" => File.join(ROOT, "gemfiles", "#{gemfile}.gemfile"),
           "RUBYLIB" => File.join(ROOT, "lib"), "RUBY_YJIT_ENABLE" => "1"}
    shape = Bench::OpenShape.new(name: "kept", title: "kept", routes: Bench::OpenShapes::EXACT,
      command: %w[bundle exec puma -C puma.rb], root: File.join(ROOT, "benchmark/support/open"), env:,
      wall_ms: 25, jobs: nil)
    Dir.mktmpdir do |folder|
      folders = {folder:, segments: Dir.mktmpdir("segments", folder)}
      server = Bench::OpenServer.new(shape, Holdup::Lab::Arm.new(processes: 1, threads: THREADS), folders)
      yield server.boot(warm_up_s: 3)
    ensure
      server&.stop
    end
  end

  # @return [Holdup::Advise::Rules::Finding, nil]
  def finding(server)
    recorded = server.record(KEPT, rate: RATE, seconds: SECONDS, seed: 3, idle_beside: 0.0)
    sizing = Holdup::Advise::Sizing
    recommendation = sizing::Recommendation.new(recorded.recording(shared: false),
      limits: sizing::ResourceLimits.new(vcpus: 2), open: true)
    summary = Holdup::Analysis::Summary.new(recorded.windows, from_s: 0, to_s: 1 << 40)
    situation = Holdup::Advise::Rules::Situation.new(summary:, recommendation:)
    Holdup::Advise::Rules::ThreadRules::KeptConnections.call(situation)
  end
end
