# frozen_string_literal: true

require "test_helper"
require "async/container"
require "holdup/agent/servers/falcon"

module Holdup
  module Servers
    class Falcon
      class TopologyTest < Minitest::Test
        Environment = Struct.new(:container_options, :root, :preload)

        def shape(options, **here)
          topology = Topology.new(Environment.new(options, @root, []), **here)
          [topology.processes, topology.threads]
        end

        def processors = ::Async::Container.processor_count

        def test_a_container_of_processes
          assert_equal [3, 1], shape({count: 3}, forked: true, threaded: false)
          assert_equal [processors, 1], shape({}, forked: true, threaded: false)
        end

        def test_a_container_of_threads_is_in_the_only_process
          assert_equal [0, 3], shape({count: 3}, forked: false, threaded: true)
        end

        def test_a_container_of_processes_of_threads
          assert_equal [2, 5], shape({forks: 2, threads: 5}, forked: true, threaded: true)
          assert_equal [[processors, 6].min, 6 / [processors, 6].min],
            shape({count: 6}, forked: true, threaded: true)
          assert_equal [processors, processors], shape({}, forked: true, threaded: true)
        end

        def test_without_any_container
          topology = Topology.new(nil, forked: false, threaded: false)
          assert_equal [0, 1, false, []],
            [topology.processes, topology.threads, topology.preload?, topology.levers]
        end

        def test_where_the_count_is_written
          Dir.mktmpdir do |root|
            File.write(File.join(root, "falcon.rb"),
              "service \"shop\" do\n  count 4 # as many as vCPUs\nend\n")
            lever = Topology.new(Environment.new({count: 4}, root, ["preload.rb"]), forked: true,
              threaded: false).levers.first
            assert_equal ["processes", 4, false, File.join(root, "falcon.rb:2")],
              [lever.name, lever.value, lever.live, lever.where]
            assert_equal ["count N", :falcon_file, {"file" => "falcon.rb"}],
              [lever.write, lever.how, lever.facts]
          end
        end
      end
    end
  end
end
