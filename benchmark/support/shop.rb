# frozen_string_literal: true

require "tmpdir"
require_relative "../../bin/support/demo/children"
require_relative "fresh"

module Bench
  # What the storefront needs around it: its peer process and its database, in a folder that goes away.
  class Shop
    APP = File.join(Fresh::ROOT, "examples/storefront")
    PATIENCE_SECONDS = 10

    # @return [Demo::Children] for servers; they end with the shop
    attr_reader :children

    # @return [String] for files
    attr_reader :folder

    # @return [Hash{String => String}] what the application reads
    attr_reader :env

    # @yieldparam shop [Shop]
    # @return [Object] the block's value
    def self.open
      Dir.mktmpdir("holdup-bench") do |folder|
        shop = new(folder)
        yield shop.prepare
      ensure
        shop.children.stop_all
      end
    end

    def initialize(folder)
      @folder = folder
      @children = Demo::Children.new
    end

    # @return [self]
    # @raise [Failure]
    def prepare
      upstream, database_peer = start_upstream.split
      @env = {"RAILS_ENV" => "production", "STOREFRONT_STORAGE" => @folder, "STOREFRONT_UPSTREAM" => upstream,
              "STOREFRONT_DATABASE_PEER" => database_peer, "HOLDUP_ENABLED" => "false"}
      prepare_database
      self
    end

    private

    def start_upstream
      reader, writer = IO.pipe
      @children.start(:upstream, {"RUBYOPT" => nil}, RbConfig.ruby, "#{APP}/upstream/server.rb", out: writer)
      writer.close
      (if reader.wait_readable(PATIENCE_SECONDS)
         reader.gets
       end) or raise Failure, "the storefront's peer did not start"
    end

    def prepare_database
      output, status = Open3.capture2e(@env, RbConfig.ruby, "bin/rails", "db:prepare", chdir: APP)
      unless status.success?
        raise Failure, "the storefront's database could not be made:\n#{output.lines.last(8).join}"
      end
    end
  end
end
