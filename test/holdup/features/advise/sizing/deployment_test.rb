# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class DeploymentTest < Minitest::Test
    PUMA = {"server" => "puma", "server_version" => "8.0.2", "workers" => 2, "threads" => 3,
            "ruby" => "3.4.5"}.freeze

    def test_what_a_web_server_has
      assert_equal [2, 3, 100_000_000, true, true],
        deployment(PUMA).then { |one|
          [one.processes, one.threads, one.time_slice_ns, one.slices?,
            one.supported?]
        }
    end

    # Before Puma 8, of another server, of jobs; and where some are allowed nobody knows which requests ask
    # for them.
    def test_which_could_have_threads_for_io
      assert_predicate deployment(PUMA), :io_threads?
      [{"server_version" => "7.2.0"}, {"server_version" => nil}, {"server" => "falcon"},
        {"max_io_threads" => 4}].each do |facts|
        refute_predicate deployment(PUMA.merge(facts).compact), :io_threads?, facts.inspect
      end
      refute_predicate deployment(PUMA, kind: :job), :io_threads?
    end

    def test_which_could_have_more_threads
      assert_equal [true, true, false, false],
        %w[puma falcon unicorn
          pitchfork].map { |server| deployment(PUMA.merge("server" => server)).threaded? }
      assert_predicate deployment(PUMA.merge("server" => "unicorn"), kind: :job), :threaded?
    end

    # A Sidekiq inside of Puma.
    def test_requests_and_jobs_in_the_same_processes
      web, both = [[:request], %i[request job]].map { |kinds| Takes.new(kinds:) }
      %i[request job].each { |kind|
        assert_predicate deployment(PUMA, kind:, members: [both]),
          :concurrent_units?
      }
      refute_predicate deployment(PUMA, members: [web]), :concurrent_units?
    end

    Takes = Data.define(:kinds) do
      def takes?(kind) = kinds.include?(kind)
    end
    private_constant :Takes

    private

    def deployment(facts, kind: :request, members: [])
      Deployment.new(Holdup::Setting.new(attributes: facts), kind:, members:)
    end
  end
end
