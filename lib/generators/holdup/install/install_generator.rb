# frozen_string_literal: true

require "rails/generators"
require_relative "../../../holdup/agent/configuration/documents"
require_relative "../../../holdup/agent/main_gem"

module Holdup
  module Generators
    # `bin/rails generate holdup:install`: the commented initializer, Puma's plugin, and what git should leave
    # out.
    class InstallGenerator < ::Rails::Generators::Base
      desc "Sets Holdup up: a commented initializer, the Puma plugin, .gitignore"

      PLUGIN = "\n# Holdup: starts its collector with the server and numbers its workers.\nplugin :holdup\n"
      IGNORED = "\n# Holdup's store, when it is kept here\n/holdup.sqlite3*\n"
      MOUNT = "# Holdup's dashboard, behind your own authentication: mount Holdup::Web => \"/holdup\""
      NEXT = <<~TEXT

        Restart the server, send it requests, and ask:
          bundle exec holdup report
          bundle exec holdup doctor     # if nothing is shown
        A Procfile needs no line for Holdup: its collector starts with the server and with each job runner.
      TEXT
      # The next steps of an application that has only the gem holdup-agent.
      NEXT_ELSEWHERE = <<~TEXT

        Restart the server: it measures into memory. The collector, the reports and the dashboard are in the
        gem holdup. Add it here, or run `holdup collect` elsewhere and set config.collector = :off.
      TEXT

      def create_initializer
        create_file "config/initializers/holdup.rb", ConfigurationKeys::Documents.initializer
      end

      def add_puma_plugin
        add_once "config/puma.rb", PLUGIN, "plugin :holdup"
      end

      def note_dashboard
        return unless MainGem.executable
        route MOUNT if has?("config/routes.rb") && !File.read(at("config/routes.rb")).include?("Holdup::Web")
      end

      def ignore_store
        add_once ".gitignore", IGNORED, "/holdup.sqlite3" if MainGem.executable
      end

      def say_what_comes_next
        say(MainGem.executable ? NEXT : NEXT_ELSEWHERE) unless options[:quiet]
      end

      private

      def add_once(file, text, mark)
        append_to_file file, text if has?(file) && !File.read(at(file)).include?(mark)
      end

      def has?(file) = File.file?(at(file))

      def at(file) = File.join(destination_root, file)
    end
  end
end
